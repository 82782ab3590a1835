/** From `swagger-ui-bundle.js`, which the reference loads before its own script. */
declare function SwaggerUIBundle(options: Record<string, unknown>): unknown;
