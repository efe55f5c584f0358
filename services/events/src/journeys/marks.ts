import { type Mark, MAX_JOURNEY_MARKS } from '@muster/assisted-api';

/** The marks with one more, unless that is what has begun last; the oldest go where there are too many. */
export function marked(marks: readonly Mark[], name: string, at: string): readonly Mark[] {
  if (marks.at(-1)?.name === name) return marks;
  return [...marks, { name, at }].slice(-MAX_JOURNEY_MARKS);
}
