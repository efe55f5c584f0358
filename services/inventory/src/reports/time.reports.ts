import { integer, list, object, oneOf, text } from '../shapes/shape';
import { parseOutput, toInt32 } from './parse-output';
import type { ReportReader } from './report';

const MAX_TIME_REPORT_BYTES = 64 * 1024;
const MAX_SOURCES = 64;

const ntpShape = object({
  ntp_sources: list(
    object({
      source_name: text,
      source_state: oneOf('synced', 'combined', 'not_combined', 'error', 'variable', 'unreachable'),
    }),
    MAX_SOURCES,
  ),
});
const clockShape = object({ offset_seconds: integer });

export const ntpReader: ReportReader = {
  stepType: 'ntp-synchronizer',
  maxBytes: MAX_TIME_REPORT_BYTES,
  read: ({ output, epoch }) => ({
    event: {
      type: 'NtpSourcesReported',
      data: {
        sources: (parseOutput(output, ntpShape, 'NTP report').ntp_sources ?? []).map((source) => ({
          sourceName: source.source_name ?? '',
          sourceState: source.source_state ?? 'error',
        })),
        epoch,
      },
    },
  }),
};

/** No step of an agent: registration reads the clock off every poll and reports here when it has moved. */
export const CLOCK_STEP_TYPE = 'clock-offset';

export const clockReader: ReportReader = {
  stepType: CLOCK_STEP_TYPE,
  maxBytes: MAX_TIME_REPORT_BYTES,
  read: ({ output, epoch }) => ({
    event: {
      type: 'ClockOffsetMeasured',
      data: { offsetSeconds: toInt32(parseOutput(output, clockShape, 'clock report').offset_seconds), epoch },
    },
  }),
};
