/** Where @hey-api/openapi-ts writes its client, and how the modules of Node name each other. */
export default {
  input: process.env.OPENAPI_DOCUMENT,
  output: { path: "heyapi", module: { extension: ".js" } },
  plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
};
