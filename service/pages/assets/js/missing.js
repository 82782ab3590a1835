// What a visitor sees at an address where nothing is.
import { Refusal } from "./api.js";
import { fail, open } from "./page.js";
import { t } from "./words.js";

fail(new Refusal(404, {}), open(t("page.not_found")));
