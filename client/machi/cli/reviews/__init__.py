"""What `machi review` needs: computing a review from a file, and printing one."""
