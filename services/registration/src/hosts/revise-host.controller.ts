import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Aggregates, storedOrThrow } from '../aggregates/aggregates';
import { hostKeyOf } from '@muster/contracts';
import type { HostCommand } from '@muster/domain';
import { RefusalError } from '@muster/problems';
import { RegistrationView } from '../process/registration-view';

@Controller()
export class ReviseHostController {
  constructor(
    private readonly aggregates: Aggregates,
    private readonly view: RegistrationView,
  ) {}

  @Handles(RegistrationService.method.reviseHost)
  async handle(
    @Payload() request: InputOf<typeof RegistrationService.method.reviseHost>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof RegistrationService.method.reviseHost>> {
    const key = hostKeyOf(request.infraEnvId, request.hostId);
    const commands = [...this.commandsOf(request)];
    let stored = { position: 0, revision: 0 };
    for (const [index, command] of commands.entries()) {
      const own = { ...context, commandId: index === 0 ? context.commandId : `${context.commandId}#${index}` };
      stored = storedOrThrow(await this.aggregates.hosts.handle(key, command, own));
    }
    return { stored };
  }

  private *commandsOf(request: InputOf<typeof RegistrationService.method.reviseHost>): Generator<HostCommand> {
    const at = this.aggregates.now();
    if (request.hostName !== undefined) yield { type: 'Rename', at, hostname: request.hostName };
    if (request.hostRole !== undefined) yield { type: 'AssignRole', at, role: request.hostRole };
    if (request.installationDiskId !== undefined) yield this.diskChoice(request, at, request.installationDiskId);
    if (request.settings && Object.keys(request.settings).length > 0)
      yield { type: 'ReviseSettings', at, changes: request.settings };
  }

  private diskChoice(
    { infraEnvId, hostId }: { infraEnvId: string; hostId: string },
    at: string,
    diskId: string,
  ): HostCommand {
    const disks = this.view.host(hostKeyOf(infraEnvId, hostId))?.hardware?.disks ?? [];
    const disk = disks.find(({ id, path, byPath }) => [id, path, byPath].includes(diskId));
    if (!disk) {
      throw new RefusalError({
        code: 'not-allowed-in-state',
        reason: `The host has no disk ${diskId}.`,
        subject: 'disks_selected_config',
        allowed: disks.map(({ id }) => id),
      });
    }
    return { type: 'ChooseInstallationDisk', at, diskId: disk.id, diskPath: disk.path, byPerson: true };
  }
}
