import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.util.List;

/** A server that speaks MongoDB's protocol from memory, for tests on machines that cannot have MongoDB itself. Prints its port. Ends with its standard input. */
class MongoWire {
  /** The oldest release that the adapter takes. */
  private static final MongoVersion VERSION = new MongoVersion() {
    @Override
    public List<Integer> getVersionArray() {
      return List.of(5, 0, 0);
    }

    @Override
    public int getWireVersion() {
      return 13;
    }
  };

  public static void main(String[] arguments) throws Exception {
    var backend = new MemoryBackend();
    backend.version(VERSION);
    var server = new MongoServer(backend);
    server.bind("127.0.0.1", 0);
    System.out.println(server.getLocalAddress().getPort());
    while (System.in.read() >= 0) continue;
    server.shutdownNow();
  }
}
