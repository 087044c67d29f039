"""From counts to figures: a frame in, a tidy table or a plotly figure out. Knows nothing of Streamlit."""

from nl2pddl.figures.bars import (
    are_histogram,
    class_bars,
    class_pies,
    different_bars,
    different_pies,
    protocol_bars,
    round_bars,
    subclass_bars,
)
from nl2pddl.figures.marks import difference_dots, heat_map, share_dots, size_scatter
from nl2pddl.figures.shares import (
    are_table,
    best_descriptions,
    beyond_table,
    class_table,
    different_table,
    round_table,
    stacked,
    subclass_table,
    undecided_count,
)
from nl2pddl.figures.style import CLASS_COLOURS, CLASSES, empty_figure, short_share

__all__ = [
    "CLASSES", "CLASS_COLOURS", "are_histogram", "are_table", "best_descriptions", "beyond_table", "class_bars",
    "class_pies", "class_table", "difference_dots", "different_bars", "different_pies", "different_table",
    "empty_figure", "heat_map", "protocol_bars", "round_bars", "round_table", "share_dots", "short_share",
    "size_scatter", "stacked", "subclass_bars", "subclass_table", "undecided_count",
]  # fmt: skip
