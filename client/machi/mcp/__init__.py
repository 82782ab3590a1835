"""The MCP server of `machi mcp`: the API as tools for language models; see docs/language-models.md."""
