import { open } from "./page.js";

open("verify");
