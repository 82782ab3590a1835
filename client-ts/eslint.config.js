import js from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import ts from "typescript-eslint";

export default defineConfig([
  globalIgnores(["build/", "dist/", "src/schema.ts", "eslint.config.js"]),
  js.configs.recommended,
  ts.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      eqeqeq: "error",
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
    },
  },
  {
    files: ["test/**/*.ts"],
    // `test()` of node:test returns a promise that its runner awaits.
    rules: { "@typescript-eslint/no-floating-promises": "off" },
  },
]);
