// What a visitor sees at an address where nothing is.
import { Refusal } from "./api.js";
import { fail, open } from "./page.js";
import { t } from "./words.js";

open(t("page.not_found"));
fail(new Refusal(404, {}));
