import { Injectable } from '@nestjs/common';
import type { HostDocument } from '@muster/assisted-api';
import type { CommandContext } from '@muster/event-sourcing';
import { RefusalError } from '@muster/problems';
import { Artifacts } from '../bus/artifacts';
import { HostViews } from '../views/host-views';

/** The document that a host is installed with. */
@Injectable()
export class HostIgnition {
  constructor(
    private readonly hosts: HostViews,
    private readonly artifacts: Artifacts,
  ) {}

  /** Throws RefusalError: `not-found`, or `not-ready` before an installation is prepared. */
  async read(
    infraEnvId: string,
    hostId: string,
    context: CommandContext,
  ): Promise<{ readonly name: string; readonly content: Buffer }> {
    const host = await this.hosts.document(infraEnvId, hostId);
    if (!host.cluster_id) {
      throw new RefusalError({
        code: 'not-ready',
        reason: `Host ${hostId} has no ignition document because it is not bound to a cluster. Bind it first.`,
      });
    }
    const name = `${effectiveRole(host)}-${hostId}.ign`;
    return { name, content: await this.artifacts.read(host.cluster_id, name, context) };
  }
}

/** A host without a role becomes a worker: only day-2 hosts get here without one. */
function effectiveRole({ role, suggested_role }: HostDocument): string {
  const chosen = role === 'auto-assign' ? (suggested_role ?? role) : role;
  return chosen === 'auto-assign' ? 'worker' : chosen;
}
