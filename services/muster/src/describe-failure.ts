import { SettingError, type SettingName, SettingsError, type SettingsReader } from '@muster/nest-kit';
import { holderOfPort } from './port-holder';
import { type ExitReason, StartError } from './start-error';

const PORTS = ['REST_PORT', 'IMAGE_PORT', 'HTTP_LISTEN_PORT', 'NATS_PORT'] as const satisfies readonly SettingName[];
const HOST_OF = {
  REST_PORT: 'REST_HOST',
  IMAGE_PORT: 'IMAGE_HOST',
  HTTP_LISTEN_PORT: 'IMAGE_HOST',
  NATS_PORT: 'NATS_HOST',
};

/** Why a start failed: the exit reason and the lines to print. The last line says what to change. */
export function describeFailure(
  error: unknown,
  settings: SettingsReader,
): { readonly reason: ExitReason; readonly lines: readonly string[] } {
  if (error instanceof StartError) return { reason: error.reason, lines: [error.message] };
  if (error instanceof SettingError || error instanceof SettingsError) {
    const problems = error.message.split('\n');
    const last =
      problems.length > 1 ? [`${problems.length} settings are not usable: correct all of them and start again.`] : [];
    return { reason: 'settings', lines: [...problems, ...last] };
  }
  const { code = '', port, address = '' } = error instanceof Error ? networkError(error) : {};
  if (port !== undefined && ['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL'].includes(code))
    return { reason: 'endpoint', lines: [endpointText(code, address, port, settings)] };
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const last = error instanceof Error ? error.message : String(error);
  return {
    reason: 'failed',
    lines: [text, `unexpected error at start: ${last}. This is a defect; report it with the lines above.`],
  };
}

const networkError = (error: Error): { readonly code?: string; readonly port?: number; readonly address?: string } => ({
  ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
  ...('port' in error && typeof error.port === 'number' ? { port: error.port } : {}),
  ...('address' in error && typeof error.address === 'string' ? { address: error.address } : {}),
});

function endpointText(code: string, address: string, port: number, settings: SettingsReader): string {
  const name = PORTS.find((one) => settings.get(one) === port);
  const setting = name ?? 'the setting of the port';
  const host = name ? HOST_OF[name] : 'the setting of the address';
  const where = `${address.includes(':') ? `[${address}]` : address}:${port}`;
  switch (code) {
    case 'EADDRINUSE':
      return `The address ${where} (${setting}) is in use by ${holderOfPort(port) ?? 'another process'}. Stop it, or change ${setting}.`;
    case 'EACCES':
      return `The process may not listen on ${where} (${setting}): ports below 1024 need a permission. Change ${setting}.`;
    default:
      return `The address ${where} is not an address of this machine. Change ${host}.`;
  }
}
