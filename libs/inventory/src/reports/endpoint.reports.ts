import { parseHostKey } from '@muster/contracts';
import { Type } from '@sinclair/typebox';
import { documentReader, list, record } from '../read-document';
import { type Digest, type Report, type StepOutput, toBody, toStoredBody } from '../report';
import { readWorkerIgnition } from './worker-ignition';

const MAX_ENDPOINT_REPORT_BYTES = 8 * 1024 * 1024;
const MAX_TANG_SERVERS = 64;
const MAX_ERROR_CHARACTERS = 4_096;

const text = Type.String();

/** A failed check is a report as well: its error text is kept. */
export const tangReader = documentReader({
  stepType: 'tang-connectivity-check',
  maxBytes: MAX_ENDPOINT_REPORT_BYTES,
  name: 'Tang report',
  schema: record({
    is_success: Type.Boolean(),
    tang_server_response: list(
      record({ tang_url: text, payload: text, signatures: list(record({ protected: text, signature: text })) }),
      MAX_TANG_SERVERS,
    ),
  }),
  ofFailure: (step, digest) =>
    tangReport({ is_success: false, error: step.error.slice(0, MAX_ERROR_CHARACTERS) }, step, digest),
  toReport: tangReport,
});

function tangReport(
  document: { readonly is_success?: boolean; readonly error?: string },
  { epoch }: StepOutput,
  digest: Digest,
): Report {
  const body = toBody(document, digest);
  return {
    body,
    event: {
      type: 'TangConnectivityReported',
      data: { body: toStoredBody(body), epoch, isSuccess: document.is_success === true },
    },
  };
}

/** The ignition of an installed cluster holds credentials: it is sealed, and the body has its digest only. */
export const apiVipReader = documentReader({
  stepType: 'api-vip-connectivity-check',
  maxBytes: MAX_ENDPOINT_REPORT_BYTES,
  name: 'API connectivity report',
  schema: record({ is_success: Type.Boolean(), url: text, download_error: text, ignition: text }),
  toReport: ({ ignition, ...open }, { hostKey, epoch }, digest) => {
    const body = toBody(ignition ? { ...open, ignition_digest: digest(ignition) } : open, digest);
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
});
