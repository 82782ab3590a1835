import { open } from "./page.js";

open("ladders");
