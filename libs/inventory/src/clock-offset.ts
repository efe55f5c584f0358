/** A smaller change of the offset is within the precision of the measurement, in seconds. */
export const CLOCK_OFFSET_CHANGE_SECONDS_MIN = 30;

/** Whether the clock of a host has moved against that of the service since the last measurement. Offsets in seconds. */
export const hasClockMoved = (beforeSeconds: number, nowSeconds: number): boolean =>
  Math.abs(nowSeconds - beforeSeconds) >= CLOCK_OFFSET_CHANGE_SECONDS_MIN;
