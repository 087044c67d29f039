"""What the pages share. The only library code that imports Streamlit; nothing here imports torch or transformers."""
