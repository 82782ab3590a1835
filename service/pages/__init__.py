"""The pages of the service and the files they consist of."""
