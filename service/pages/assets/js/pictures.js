// The pictures of all cards: two tones and the paper beneath, a few shapes each, all on the same ground.

/**
 * A layer is its ink and a path: SVG path data where `o x y r` also means a circle, and `r x y width height radius`
 * a box. Inks: a, b, p fill with the first tone, the second, the paper; A, B, P draw lines in them; c fills with
 * the first tone and d with the second, set off by a rim of paper from what lies behind.
 * @typedef {string[]} Picture
 */

// Parts that several pictures share, to follow a move.
const GRAIN = "q7-1 7-8q-7 1-7 8q-7-1-7-8q7 1 7 8m0-7";
const EAR = `${GRAIN}${GRAIN}${GRAIN}q-4-4 0-9q4 5 0 9`;
const FIR = "l8 12h-3l7 10h-3l6 10h-30l6-10h-3l7-10h-3z";
const TULIP = "q-8 0-8-8v-8l5 4 3-6 3 6 5-4v8q0 8-8 8z";
const FACTORY = "b M6 45V8h8v14l12-8v8l12-8v8l12-8v31z";
const WAVES = "B M4 45q4-4 8 0t8 0 8 0 8 0 8 0 8 0 8 0";

/** Of establishments, on 64 by 48 units; the ground is at 45. @type {Record<string, Picture>} */
export const ESTABLISHMENTS = {
  wheat_field: ["B M14 45V30M50 45V30", `b M14 38${EAR}M50 38${EAR}`, "A M32 45V20", `a M32 34${EAR}`],
  corn_field: [
    "a r29 2 6 5 2.4r29 8 6 5 2r29 14 6 5 2r29 20 6 5 2r29 26 6 5 2r29 32 6 5 2",
    "a r22 11 6 5 2r22 17 6 5 2r22 23 6 5 2r22 29 6 5 2r36 11 6 5 2r36 17 6 5 2r36 23 6 5 2r36 29 6 5 2",
    "d M31 45q-21-1-20-26q17 5 20 26zM33 45q21-1 20-26q-17 5-20 26z",
  ],
  vineyard: [
    "A M32 12q0-6 5-9",
    "b M30 11q-5 3-8-1q-5 0-5-5q6-4 11-1q4 2 2 7z",
    "c o17 15 4.7o27 15 4.7o37 15 4.7o47 15 4.7o22 23.5 4.7o32 23.5 4.7o42 23.5 4.7o27 32 4.7o37 32 4.7o32 40.3 4.7",
  ],
  apple_orchard: [
    "a M29 45q2-10-1-18h8q-3 8-1 18z",
    "b o20 21 11o44 21 11o32 14 12o32 25 9",
    "a o19 20 3.5o32 11 3.5o45 19 3.5o30 23 3.5o39 27 3.5",
  ],
  flower_garden: [
    "B M14 45V26M50 45V26M32 45V20",
    "b M32 44q-12 0-12-10q10 0 12 10zq12 0 12-10q-10 0-12 10z",
    `b M14 28${TULIP}M50 28${TULIP}`,
    `a M32 22${TULIP}`,
  ],
  forest: [`b M18 13${FIR}M46 13${FIR}`, "a r30 34 4 11 0", `c M32 4${FIR}`],
  ranch: [
    "A M23 12q-6 0-6-7M41 12q6 0 6-7",
    "a M20 18q-8-4-13 1q5 7 14 5zM44 18q8-4 13 1q-5 7-14 5z",
    "b M23 10h18q5 0 4 7l-2 17h-22l-2-17q-1-7 4-7z",
    "a M23 10h7q3 12-9.5 17l-1.5-10q-1-7 4-7z",
    "a o39 21 2.5",
    "p o25 20 2.5",
    "c M18 36q0-6 7-7h14q7 1 7 7q0 8-14 8t-14-8z",
    "p o26 36 2.2o38 36 2.2",
  ],
  mine: [
    "b M3 45L21 8q3-5 6 0l8 13 3-5q3-4 6 0l17 29z",
    "a M17 45V32q0-11 15-11t15 11v13z",
    "p M22 33h20l-3 8h-14zo26 42 2.5o38 42 2.5M25 31l3-5h4l1 2 3-1 3 4z",
  ],
  mackerel_boat: [
    "A M30 34V5",
    "b M33 5q17 8 17 23h-17z",
    "a M27 12v16h-14z",
    "a M6 31h52q-2 10-9 14h-34q-7-4-9-14z",
    "p M20 37q7-8 14 0l5-4v9l-5-4q-7 7-14-1z",
    WAVES,
  ],
  tuna_boat: [
    "A M32 32V5l23 6M55 11v7",
    "b r12 16 14 16 2",
    "p r15 19 8 5 1",
    "a M2 24l9 6h42q-1 10-6 15h-35q-8-5-10-21z",
    "p o17 37 1.8o25 37 1.8o33 37 1.8",
    "c M55 16q7 6 2 15l4 5h-12l4-5q-5-9 2-15z",
    "p o55 21 1.2",
    WAVES,
  ],

  bakery: [
    "B M22 12q-3-3 0-5t0-5M32 11q-3-3 0-5t0-5M42 12q-3-3 0-5t0-5",
    "a M9 37q-3-20 23-21q26 1 23 21q-1 8-8 8h-30q-7 0-8-8z",
    "P M19 24l5 10M30 21l5 11M41 22l4 9",
  ],
  convenience_store: [
    "b r12 20 40 25 1",
    "p r16 29 16 9 1",
    "p r38 29 9 16 1",
    "a r20 2 24 12 2",
    "P M25 5h4v3h-4v3h4M35 5v3h4M39 5v6",
    "c M13 16h38l4 9q-3 3-6 0q-3 3-6 0q-3 3-6 0q-3 3-5 0q-3 3-6 0q-3 3-6 0q-3 3-5 0q-3 3-6 0z",
  ],
  general_store: [
    "b r12 20 40 25 1",
    "p r17 29 11 9 1",
    "p r36 27 10 18 1",
    "A M26 9V4h12v5",
    "a r22 7 20 6 1",
    "c M8 22l6-9h36l6 9q-4 5-8 0q-4 5-8 0q-4 5-8 0q-4 5-8 0q-4 5-8 0q-4 5-8 0z",
  ],
  flower_shop: [
    "A M32 20v10M21 24l8 12M43 24l-8 12",
    "b o21 13 4o15 17.5 4o17.5 24 4o24.5 24 4o27 17.5 4o43 13 4o37 17.5 4o39.5 24 4o46.5 24 4o49 17.5 4",
    "p o21 19 2.5o43 19 2.5",
    "c o32 5 4o38 9.3 4o35.8 16.6 4o28.2 16.6 4o26 9.3 4o32 11.5 2.4",
    "c M20 30h24l-7 15h-10z",
    "P M27 37h10",
  ],
  cheese_factory: [
    FACTORY,
    "c M14 32l24-12q18 1 18 12v13h-42z",
    "P M14 32.5h42",
    "p o24 39 3.5o38 38 2.5o48 41 2",
  ],
  furniture_factory: [FACTORY, "c M25 16h5v13h16v16h-5v-9h-11v9h-5z"],
  food_warehouse: [
    "a M5 45V20l27-14 27 14v25z",
    "p r14 24 36 21 1",
    "b r16 35 10 10 1",
    "a r27 35 10 10 1",
    "b r38 35 10 10 1",
    "a r22 25 9 9 1",
    "b r33 25 9 9 1",
  ],
  winery: [
    "b M11 14h26q7 15 0 31h-26q-7-16 0-31z",
    "A M8 22q16 3 32 0M8 37q16 3 32 0",
    "P M19 17v3M29 17v3M18 28v6M30 28v6",
    "c M46 5h6v11q5 4 5 9v20h-16v-20q0-5 5-9z",
    "p r44 28 10 9 1",
  ],
  fruit_and_vegetable_market: [
    "b M20 14q-4-3-8 0q-4 4 0 11q4 5 8 3q4 2 8-3q4-7 0-11q-4-3-8 0z",
    "A M20 13q0-5 4-7",
    "B M43 14V4M42 13l-6-7M44 13l6-7",
    "a M35 17q0-5 8-5t8 5l-5 14h-6z",
    "c M8 28h48l-4 17h-40z",
    "P M11 34h42M13 40h38",
  ],

  cafe: [
    "B M22 14q-3-3 0-5t0-5M31 14q-3-3 0-5t0-5M40 14q-3-3 0-5t0-5",
    "A M46 22h4q6 0 6 6t-6 6h-6",
    "a M14 18h33v12q0 11-11 11h-11q-11 0-11-11z",
    "b r8 41 46 4 2",
    "P M20 23v7q0 4 3 5",
  ],
  family_restaurant: [
    "b o32 25 16",
    "p o32 25 10",
    "A M9 10v8q0 4 3 4t3-4v-8M12 10v32",
    "a M50 42v-32q6 4 6 14q0 4-3 4v14z",
  ],
  members_only_club: [
    "a M17 33l2-27q13 5 26 0l2 27q-15 6-30 0z",
    "b M17.5 26q14.5 6 29 0l.5 7q-15 6-30 0z",
    "c M5 33q5-4 12-1q15 6 30 0q7-3 12 1q-3 9-27 10q-24-1-27-10z",
  ],
  pizza_joint: [
    "b M11 13q21-8 42 0l-21 32z",
    "a M8 12q0-4 4-5q20-6 40 0q4 1 4 5t-4 3q-20-6-40 0q-4 1-4-3z",
    "a o24 20 3.5o38 21 3.5o32 31 3.5",
  ],
  hamburger_stand: [
    "a M11 22q0-17 21-17t21 17q0 2-2 2h-38q-2 0-2-2z",
    "p o23 14 1.5o32 11 1.5o41 14 1.5o28 18 1.5o37 18 1.5",
    "b M9 26h46q2 5-3 5q-3 0-5-2q-3 4-7 0q-3 4-8 0q-3 4-7 0q-3 4-8 0q-8 4-8-3z",
    "a r11 32 42 5 2.5",
    "a M11 39h42q0 6-6 6h-30q-6 0-6-6z",
  ],
  sushi_bar: [
    "b M8 34v-8h28v8q0 4-4 4h-20q-4 0-4-4z",
    "c M5 29q0-11 15-12q17-1 18 10q-8 4-16 1q-9-2-17 1z",
    "P M15 19l-3 8M23 18l-2 8M31 19v8",
    "a o49 28 10",
    "p o49 28 7",
    "a o49 28 3",
    "A M6 40h52M16 41v4M48 41v4",
  ],

  demolition_company: [
    "b M33 45V35h6v-5h8v6h8v9z",
    "A M12 42V5h34M12 15l10-10",
    "B M44 6v11",
    "a o44 23 7",
    "a r4 39 18 6 2",
  ],
  renovation_company: ["b r10 7 36 12 3", "A M46 13h9v11h-23v7", "a r28 29 8 16 2", "P M15 13h26"],

  stadium: [
    "A M14 14V4l8 3-8 3M50 14V4l-8 3 8 3",
    "a M4 20c2-10 54-10 56 0l-4 20q-24 10-48 0z",
    "b M9 21c4-7 42-7 46 0c-4 9-42 9-46 0z",
    "P M21 18.5h22l3 5h-28zM32 18.5v5",
    "P M14 32v7M23 34v8M32 35v8M41 34v8M50 32v7",
  ],
  business_center: [
    "b M8 45V14l14-6v37z",
    "a r24 3 18 42 1",
    "P M29 9h2M35 9h2M29 15h2M35 15h2M29 21h2M35 21h2M13 20h4M13 27h4M13 34h4",
    "c r32 30 26 15 3",
    "A M40 30v-4h10v4",
    "P M33 36h24",
  ],
  tax_office: [
    "b M10 3h22l8 8v34h-30z",
    "a M32 3l8 8h-8z",
    "A M18 30l12-14",
    "a o19 18 3o29 28 3",
    "c r37 22 21 6.6 3.3r35 30 21 6.6 3.3r37 38 21 6.6 3.3",
  ],
  shopping_district: [
    "b M4 45V19l8-7 8 7v26zM44 45V19l8-7 8 7v26z",
    "a M21 45V5h22v40z",
    "P M27 11v3M37 11v3M32 11v3M9 22v2M15 22v2M49 22v2M55 22v2",
    "p r8 33 8 12 1",
    "p r48 33 8 12 1",
    "p r27 31 10 14 1",
    "c M4 26h15v3q-2 3-4 0q-2 3-4 0q-2 3-4 0q-2 3-3 0zM45 26h15v3q-2 3-4 0q-2 3-4 0q-2 3-4 0q-2 3-3 0z",
    "d M20 20h24v5q-3 4-6 0q-3 4-6 0q-3 4-6 0q-3 4-6 0z",
  ],
};

/**
 * Of landmarks, and of establishments that are landmarks in another game, on 48 by 40 units. The first layer is the
 * silhouette: its parts lie apart, so that its outline alone makes a picture, too.
 * @type {Record<string, Picture>}
 */
export const LANDMARKS = {
  train_station: [
    "a M2 40V20q0-2 2-2h10v-8l10-8 10 8v8h10q2 0 2 2v20z",
    "p o24 12 5",
    "A M24 9v3h2.5",
    "p M14 40v-9q0-9 10-9t10 9v9z",
    "b r18 27 12 11 3",
    "p r20 29 8 4 1",
    "a o21 36 1.3o27 36 1.3",
    "P M5 25h4M39 25h4M5 32h4M39 32h4",
  ],
  shopping_mall: [
    "a M2 40V15q0-2 2-2h4v-5q0-2 2-2h28q2 0 2 2v5h4q2 0 2 2v25z",
    "P M14 12.5h7M27 12.5h7",
    "p r6 19 6 6 1r15 19 6 6 1r36 19 6 6 1r8 30 10 10 1",
    "d M26 21h16l2 19h-20z",
    "P M30 26v-6q0-4 4-4t4 4v6",
  ],
  amusement_park: [
    "a M24 2a15 15 0 0 1 7 28l6 10h-5l-5-8.5h-6l-5 8.5h-5l6-10a15 15 0 0 1 7-28zo24 17 11.5",
    "A M24 7v20M14 17h20M17 10l14 14M31 10l-14 14",
    "b o24 17 3o24 4 2.5o24 30 2.5o11 17 2.5o37 17 2.5o15 8 2.5o33 8 2.5o15 26 2.5o33 26 2.5",
  ],
  radio_tower: [
    "a M22.5 12h3l8 28h-4l-1.5-5h-8l-1.5 5h-4z",
    "A M17 14q-3-5 0-10M31 14q3-5 0-10M11 16q-5-7 0-14M37 16q5-7 0-14",
    "b o24 8 3",
    "P M22 22h4M20.5 28h7",
  ],
  town_hall: [
    "a M2 40v-4h3v-14h-2v-4h13q0-9 7-11v-6h8v4h-6v2q7 2 7 11h13v4h-2v14h3v4z",
    "P M10 24v10M16 24v10M32 24v10M38 24v10",
    "p M21 40v-10q0-4 3-4t3 4v10z",
  ],
  harbor: [
    "a M12 40l3-24h-2v-4h3v-6l5-4 5 4v6h3v4h-2l3 24z",
    "p r18.5 7 5 5 0.5",
    "P M15 22l12 3M14 30l14 4",
    "B M9 8l-7-3M9 12h-7M33 8l7-3M33 12h7",
    "b M32 34h14q-1 6-4 6h-7z",
    "B M38 33v-13l6 9h-6",
  ],
  airport: [
    "a M4 40v-10h7l-2-11h-2v-5h3l1-4h6l1 4h3v5h-2l-2 11h27v10z" +
      "M23 20l8-5-8-9 4-1 12 6 5-3q4-1 4 1q0 3-4 5l-5 3 1 11-3 2-5-10-8 4z",
    "p r10 15.5 8 2.5 0",
    "P M8 35h2M16 35h2M24 35h2M32 35h2M39 35h2",
  ],
  loan_office: [
    "a M17 10l-4-8q5 2 6 0q5 2 10 0q1 2 6 0l-4 8q13 8 13 21q0 9-9 9h-22q-9 0-9-9q0-13 13-21z",
    "P M17 11h14",
    "b o24 26 9",
    "A M24 21v10M27 23h-4q-2 0-2 1.5t3 1.5 3 1.5-2 1.5h-4",
  ],
  farmers_market: [
    "a M3 15L8 3h32l5 12-2 3v22h-38v-22z",
    "p r8 18 32 10 0",
    "P M13.5 4l-2.5 12M20.5 4l-1.5 12M27.5 4l1.5 12M34.5 4l2.5 12",
    "b o14 26 4o23 25 5o33 26 4.5",
    "p r5 29 38 0 0",
    "P M8 34h32",
  ],
  french_restaurant: [
    "a M3 40v-3h2q0-22 17-24v-3a3 3 0 1 1 4 0v3q17 2 17 24h2v3z",
    "P M11 32q1-11 9-14",
    "P M3 36.5h42",
  ],
  moving_company: [
    "a M2 36V8q0-2 2-2h24q2 0 2 2v6h8q2 0 3 2l5 9v11h-4a5 5 0 1 1-10 0h-14a5 5 0 1 1-10 0z",
    "p M33 18h5l4 7h-9z",
    "b r8 11 16 14 1",
    "P M16 11v6",
    "p o13 36 2o37 36 2",
  ],
  observatory: [
    "a M6 40v-15q0-14 14-17q3 0 5-1l11-6 4 6-6 5q9 4 9 13v15z",
    "P M6 26h37",
    "p M19 26v-15l12-1v16z",
    "b M17 16l18-10 3 5-18 10z",
    "p M20 40v-5q0-4 4-4t4 4v5z",
  ],
  publisher: [
    "a M24 8q-10-6-22-3v30q12-2 22 5q10-7 22-5v-30q-12-3-22 3z",
    "P M24 9v28",
    "P M7 12q6-1 12 2M7 18q6-1 12 2M7 24q6-1 12 2M41 12q-6-1-12 2M41 18q-6-1-12 2M41 24q-6-1-12 2",
  ],
  tech_startup: [
    "a M7 32V7q0-3 3-3h28q3 0 3 3v25l5 5v3h-44v-3z",
    "p r11 8 26 20 1",
    "A M19 13l-4 5 4 5M29 13l4 5-4 5M26 11l-4 14",
    "P M20 36h8",
  ],
  charterhouse: [
    "a M4 40v-17l3-3v-6l7-11 7 11v6h19l4 7v13z",
    "p o14 16 3",
    "P M14 27v5",
    "p M24 40v-7q0-3 3-3t3 3v7zM34 40v-7q0-3 3-3t3 3v7z",
  ],
  exhibit_hall: [
    "a M2 40V16q22-22 44 0v24z",
    "p r11 16 26 19 0",
    "b r13 18 22 15 0",
    "a M13 33l8-10 5 6 3-3 6 7z",
    "a o30 22 2",
  ],
  forge: [
    "a M2 16h10v-3h34q-2 9-13 10q-1 6 7 11v6h-32v-6q8-5 7-10q-11 0-13-8z",
    "P M14 18h22",
    "b r17 1 9 9 1",
    "B M26 5.5h17M11 5l-3-2M11 9h-4",
  ],
  museum: [
    "a M2 40v-4h2v-3h2v-14h-4v-5l22-12 22 12v5h-4v14h2v3h2v4z",
    "P M12 20v12M18 20v12M24 20v12M30 20v12M36 20v12",
    "b o24 11 3",
  ],
  park: [
    "a M11 40v-10a10 10 0 1 1 6 0v10zM39 40v-8a7 7 0 1 1 4 0v8zM20 33h16v3h-2v4h-3v-4h-6v4h-3v-4h-2zr20 28 16 3 1",
    "P M8 20q1-5 6-5M37 25q1-3 4-3",
  ],
  soda_bottling_plant: [
    "a M8 40v-20q0-5 4-8v-9h8v9q4 3 4 8v20zM28 40v-14q0-4 3-6v-7h6v7q3 2 3 6v14z",
    "p r11 22 10 9 1",
    "P M12 7h8M31 17h6",
    "b o16 26.5 2.5",
  ],
  temple: [
    "a M8 40v-14h-4l-3-4q9-1 11-8h-3l-2-3q10-2 17-9q7 7 17 9l-2 3h-3q2 7 11 8l-3 4h-4v14z",
    "P M10 24h28M14 14h20",
    "p M20 40v-8q0-3 4-3t4 3v8z",
  ],
  tv_station: [
    "a M22 12L12 3l2-2 10 9 10-9 2 2-10 9h15q4 0 4 4v17q0 4-4 4v3h-6v-3h-22v3h-6v-3q-4 0-4-4v-17q0-4 4-4z",
    "p r9 16 23 17 4",
    "b M17 19l10 5.5-10 5.5z",
    "p o38 20 2o38 27 2",
  ],
  launch_pad: [
    "a M19 1q8 7 8 19v4l6 6v10h-7v-6h-14v6h-7v-10l6-6v-4q0-12 8-19z",
    "p o19 15 4",
    "b o19 15 2",
    "P M15 33v-6M23 33v-6",
    "B M38 40V10h7v30M38 18h-8M38 10l7 8-7 7 7 7-7 7M16 38v2M22 38v2",
  ],
};
