// The reference of the API from its document. Tokens stay in the page's memory: a reload forgets them.

// Examples are filled in where something is tried out. Nobody wants to send those of optional headers.
const withoutExamplesOfHeaders = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec: (/** @type {(json: any) => void} */ update) => (/** @type {any} */ json) => {
          for (const parameter of Object.values(json.components?.parameters ?? {})) {
            if (parameter.in === "header" && !parameter.required) delete parameter.example;
          }
          return update(json);
        },
      },
    },
  },
});

SwaggerUIBundle({
  url: "/openapi.yaml",
  dom_id: "#reference",
  layout: "BaseLayout",
  plugins: [withoutExamplesOfHeaders],
  deepLinking: true,
  filter: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  persistAuthorization: false,
  queryConfigEnabled: false,
  validatorUrl: null,
});
