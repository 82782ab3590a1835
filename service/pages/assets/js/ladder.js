import { open } from "./page.js";

open("ladder");
