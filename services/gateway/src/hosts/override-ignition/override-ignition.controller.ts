import { Controller, HttpCode, Inject, Patch } from '@nestjs/common';
import { DOCUMENT_MAX_CHARACTERS, HostIgnitionBody } from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { parseIgnitionOverride } from '@muster/ignition-config';
import { OBJECT_STORE } from '@muster/nest-kit';
import type { ObjectStore } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { AnswersNothing } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { Id, JsonBody } from '../../http/parameters.decorators';
import { HostViews } from '../../views/host-views';

const NO_DOCUMENT = { digest: '', bytes: 0 };
const BYTES_PER_CHARACTER_MAX = 4;

/** The document goes to the object store; the fact names it by digest. */
@Controller('v2/infra-envs/:infra_env_id/hosts/:host_id/ignition')
export class OverrideIgnitionController {
  constructor(
    @Inject(OBJECT_STORE) private readonly objectStore: ObjectStore,
    private readonly commands: Commands,
    private readonly hosts: HostViews,
  ) {}

  @Patch()
  @HttpCode(201)
  @AnswersNothing('Replaces what is merged over the ignition document of a host.')
  @Accepts('userAuth')
  async handle(
    @Id('infra_env_id') infraEnvId: string,
    @Id('host_id') hostId: string,
    @JsonBody(HostIgnitionBody) { config = '' }: HostIgnitionBody,
    @Context() context: CommandContext,
  ): Promise<void> {
    if (config !== '') checkIgnition(config);
    await this.hosts.document(infraEnvId, hostId);
    const document = config === '' ? NO_DOCUMENT : await this.store(config);
    const input = { infraEnvId, hostId, settings: { ignitionConfigOverrides: document } };
    await this.commands.execute(RegistrationService.method.reviseHost, input, context);
  }

  private async store(config: string): Promise<{ digest: string; bytes: number }> {
    const limit = DOCUMENT_MAX_CHARACTERS * BYTES_PER_CHARACTER_MAX;
    const { digest, bytes } = await this.objectStore.put(Buffer.from(config, 'utf8'), limit);
    return { digest, bytes };
  }
}

/** Throws RefusalError `invalid-input` when the text is not an ignition document that could be merged. */
function checkIgnition(text: string): void {
  const parsed = parseIgnitionOverride(text, 'config');
  if (parsed.kind === 'refused') throw new RefusalError(parsed.refusal);
}
