"""What `machi export` needs: which matches are meant, and writing them as tables."""
