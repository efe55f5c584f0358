import { Injectable } from '@nestjs/common';
import { IgnitionService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { RefusalError } from '@muster/problems';
import { Commands } from './commands';

/** Files that an installation is made of. */
@Injectable()
export class Artifacts {
  constructor(private readonly commands: Commands) {}

  /** Throws RefusalError `not-ready` when the file does not exist yet. */
  async read(clusterId: string, name: string, context: CommandContext): Promise<Buffer> {
    const { content } = await this.commands.ask(IgnitionService.method.readArtifact, { clusterId, name }, context);
    return Buffer.from(content, 'base64');
  }

  /** Undefined when the file does not exist (yet). */
  async find(clusterId: string, name: string, context: CommandContext): Promise<Buffer | undefined> {
    try {
      return await this.read(clusterId, name, context);
    } catch (error) {
      if (error instanceof RefusalError && MISSING.includes(error.refusal.code)) return undefined;
      throw error;
    }
  }
}

const MISSING: readonly string[] = ['not-found', 'not-ready'];
