/** One line of the table. `met` is null where nothing was promised. */
export type Row = {
  figure: string;
  floor: string;
  lathe: string;
  ratio: string;
  budget: string;
  met: boolean | null;
};

/** How much work goes into a figure. */
export type Effort = {
  /** Interleaved runs of which the median is taken. */
  runs: number;
  /** Tool steps of one run; a multiple of six. */
  steps: number;
};

/** Figures that are measured together, in one world. */
export type Group = { name: string; run(effort: Effort): Promise<Row[]> };

export const FULL: Effort = { runs: 9, steps: 90 };
export const QUICK: Effort = { runs: 3, steps: 30 };

export const ms = (value: number): string => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
export const mib = (value: number): string => `${value < 10 ? value.toFixed(1) : Math.round(value)} MiB`;
const times = (value: number): string => `${value.toFixed(1)}x`;

/** A row whose budget is a multiple of the floor. */
export function ratioRow(
  figure: string,
  floor: number,
  lathe: number,
  most: number,
  unit: (value: number) => string,
): Row {
  const ratio = lathe / floor;
  return {
    figure,
    floor: unit(floor),
    lathe: unit(lathe),
    ratio: times(ratio),
    budget: `at most ${times(most)}`,
    met: ratio <= most,
  };
}

/** A row with a budget of its own: sizes, which do not move with the machine, and counts. */
export function plainRow(
  figure: string,
  lathe: string,
  budget: string,
  met: boolean | null,
  floor = "",
): Row {
  return { figure, floor, lathe, ratio: "", budget, met };
}
