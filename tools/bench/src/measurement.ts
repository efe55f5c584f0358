/** One line of the table. Texts contain numbers with their units. */
export interface Measurement {
  readonly what: string;
  readonly measured: string;
  /** From the design's budgets; empty where there is none. */
  readonly budget: string;
}

export interface Bench {
  /** What `--only` takes. */
  readonly name: string;
  readonly about: string;
  readonly run: (bed: BenchBed) => Promise<readonly Measurement[]>;
}

/** What a benchmark stands on. */
export interface BenchBed {
  /** Small numbers: does everything still work, not how fast is it. */
  readonly isQuick: boolean;
  /** Prints progress to standard error. */
  tell(text: string): void;
  /** A fresh directory that is deleted at the end. */
  directory(name: string): string;
  /** Data directory of a recorded installation, recorded when first asked for (or given with `--data`). */
  recording(): Promise<Recording>;
}

export interface Recording {
  readonly dataDirectory: string;
  /** Clusters that were installed in it, with their hosts. */
  readonly clusters: number;
  readonly hosts: number;
}
