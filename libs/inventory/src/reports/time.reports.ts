import { Type } from '@sinclair/typebox';
import { choice, documentReader, integer, list, record, toInt32 } from '../report';

/** Minimum change of the offset in seconds. Smaller changes are within the precision of the measurement. */
export const CLOCK_OFFSET_CHANGE_SECONDS_MIN = 30;

/**
 * Returns whether the offset between the clocks of host and service has changed since the last measurement. Offsets in
 * seconds.
 */
export const hasClockMoved = (beforeSeconds: number, nowSeconds: number): boolean =>
  Math.abs(nowSeconds - beforeSeconds) >= CLOCK_OFFSET_CHANGE_SECONDS_MIN;

const MAX_TIME_REPORT_BYTES = 64 * 1024;
const MAX_SOURCES = 64;

export const ntpReader = documentReader({
  stepType: 'ntp-synchronizer',
  maxBytes: MAX_TIME_REPORT_BYTES,
  name: 'NTP report',
  schema: record({
    ntp_sources: list(
      record({
        source_name: Type.String(),
        source_state: choice('synced', 'combined', 'not_combined', 'error', 'variable', 'unreachable'),
      }),
      MAX_SOURCES,
    ),
  }),
  toReport: ({ ntp_sources = [] }, { generation }) => ({
    event: {
      type: 'NtpSourcesReported',
      data: {
        sources: ntp_sources.map((source) => ({
          sourceName: source.source_name ?? '',
          sourceState: source.source_state ?? 'error',
        })),
        generation,
      },
    },
  }),
});

/** Not a step of an agent: the registration service measures the clock at each poll and reports changes. */
export const CLOCK_STEP_TYPE = 'clock-offset';

export const clockReader = documentReader({
  stepType: CLOCK_STEP_TYPE,
  maxBytes: MAX_TIME_REPORT_BYTES,
  name: 'clock report',
  schema: record({ offset_seconds: integer }),
  toReport: ({ offset_seconds }, { generation }) => ({
    event: { type: 'ClockOffsetMeasured', data: { offsetSeconds: toInt32(offset_seconds), generation } },
  }),
});
