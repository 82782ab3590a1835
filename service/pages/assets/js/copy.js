// A button that copies a text.
import { buttonOf, say } from "./page.js";
import { t } from "./words.js";

/** @param {() => string} text What to copy when it is pressed. */
export const copyButton = (text) => buttonOf(t("docs.copy"), () => copy(text()), { kind: "copy" });

/** Browsers have a clipboard for pages of this computer and for those that came over TLS. @param {string} text */
export const copy = (text) =>
  (navigator.clipboard?.writeText(text) ?? Promise.reject()).then(
    () => say(t("docs.copied")),
    () => say(t("docs.not_copied")),
  );
