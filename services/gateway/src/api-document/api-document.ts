import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { CREDENTIAL_PLACES } from '../auth/credentials';
import { describeRoutes } from './describe-routes';
import { finishDocument } from './finish-document';

const ABOUT = `Installs OpenShift and OKD clusters on bare metal. Paths under /api/assisted-install keep the contract that today's
consoles, command lines and agents speak; those under /api/muster are Muster's own. Members that are not told of may
appear in answers at any time; requests are refused when they have a member that is not told of here. A member that is null counts as left out.`;

/** The OpenAPI document of what the application serves. */
export function apiDocumentOf(app: INestApplication): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle('Muster')
    .setDescription(ABOUT.replace(/\n/g, ' '))
    .setVersion('2')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0');
  for (const [scheme, { place, name, description }] of CREDENTIAL_PLACES)
    builder.addApiKey({ type: 'apiKey', in: place, name, description }, scheme);
  describeRoutes(app);
  return finishDocument(
    SwaggerModule.createDocument(app, builder.build(), {
      operationIdFactory: toOperationId,
      autoTagControllers: false,
    }),
  );
}

/** The name of the handler; further paths of one handler get a number. */
function toOperationId(_controller: string, handler: string): string {
  const [, name = '', alias = ''] = /^(\w+?)(?:\[(\d+)\])?$/.exec(handler) ?? [];
  return name + (alias === '' || alias === '0' ? '' : `Alias${alias}`);
}
