// The reference of the API from its document. Tokens stay in the page's memory: a reload forgets them.
window.reference = SwaggerUIBundle({
  url: "/openapi.yaml",
  dom_id: "#reference",
  layout: "BaseLayout",
  deepLinking: true,
  filter: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  persistAuthorization: false,
  queryConfigEnabled: false,
  validatorUrl: null,
});
