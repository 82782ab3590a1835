import css from "@eslint/css";
import js from "@eslint/js";

export default [
  {
    files: ["js/**/*.js"],
    ...js.configs.recommended,
    rules: {
      ...js.configs.recommended.rules,
      "no-undef": "off", // TypeScript checks both, and knows what browsers have
      "no-unused-vars": "off",
      eqeqeq: "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-var": "error",
      "prefer-const": "error",
    },
  },
  {
    files: ["css/*.css"],
    language: "css/css",
    ...css.configs.recommended,
    rules: {
      ...css.configs.recommended.rules,
      "css/no-important": "off", // less motion wins over everything
      "css/no-invalid-properties": ["error", { allowUnknownVariables: true }], // tokens are in page.css
      "css/use-baseline": "off", // light-dark() is newer than its "widely available"
    },
  },
];
