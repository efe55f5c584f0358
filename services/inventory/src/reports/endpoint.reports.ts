import { parseHostKey } from '@muster/contracts';
import { flag, list, object, text } from '../shapes/shape';
import { digestOf } from '../shapes/canonical-json';
import { readWorkerIgnition } from './worker-ignition';
import { parseOutput, toBody, toStoredBody } from './parse-output';
import type { ReportReader } from './report';

const MAX_ENDPOINT_REPORT_BYTES = 8 * 1024 * 1024;
const MAX_TANG_SERVERS = 64;
const MAX_ERROR_CHARACTERS = 4_096;

const tangShape = object({
  is_success: flag,
  tang_server_response: list(
    object({ tang_url: text, payload: text, signatures: list(object({ protected: text, signature: text })) }),
    MAX_TANG_SERVERS,
  ),
});
const apiVipShape = object({ is_success: flag, url: text, download_error: text, ignition: text });

/** A step that failed is a report as well: what it said on the way is kept. */
export const tangReader: ReportReader = {
  stepType: 'tang-connectivity-check',
  maxBytes: MAX_ENDPOINT_REPORT_BYTES,
  read: ({ output, error, exitCode, epoch }) => {
    const report =
      exitCode === 0
        ? parseOutput(output, tangShape, 'Tang report')
        : { is_success: false, error: error.slice(0, MAX_ERROR_CHARACTERS) };
    const body = toBody(report);
    return {
      body,
      event: {
        type: 'TangConnectivityReported',
        data: { body: toStoredBody(body), epoch, isSuccess: report.is_success === true },
      },
    };
  },
};

/** The ignition of an installed cluster holds credentials, so it is sealed and only its digest is stored in the open. */
export const apiVipReader: ReportReader = {
  stepType: 'api-vip-connectivity-check',
  maxBytes: MAX_ENDPOINT_REPORT_BYTES,
  read: ({ hostKey, output, epoch }) => {
    const { ignition, ...open } = parseOutput(output, apiVipShape, 'API connectivity report');
    const body = toBody(ignition ? { ...open, ignition_digest: digestOf(ignition) } : open);
    return {
      body,
      secret: ignition ? { name: `worker-ignition-${parseHostKey(hostKey).hostId}`, plaintext: ignition } : undefined,
      event: {
        type: 'ApiVipConnectivityReported',
        data: {
          isSuccess: open.is_success === true,
          body: toStoredBody(body),
          epoch,
          ...readWorkerIgnition(ignition ?? ''),
        },
      },
    };
  },
};
