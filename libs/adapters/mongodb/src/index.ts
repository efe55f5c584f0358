export { mongodbReadModels, type MongodbReadModelsOptions } from './read-models';
