"""The rules of Machi Koro for programs in Python."""
