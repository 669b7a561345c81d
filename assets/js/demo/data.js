// The data of a demo, which app/demos/live.py writes into its page.

export const data = JSON.parse(document.getElementById("data").textContent);
export const isPair = data.space === "se3";
export const givenNumbers = data.beginning.header.given; // the initial numbers that a person can change: {name, value, low, high}
