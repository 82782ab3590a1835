import { open } from "./page.js";

open("account");
