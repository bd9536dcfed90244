import io.cloudmw.client.CloudMw;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.core.model.FilePath;
import java.nio.file.Path;

/** A program that repeatedly opens a client, puts a file, gets it, and closes the client. */
public final class Turns {
    private static final int TURNS = 12;

    private Turns() {}

    public static void main(String[] args) {
        FilePath file = FilePath.parse(args[1]);
        for (int turn = 0; turn < TURNS; turn++) {
            try (CloudMw cloudMw = CloudMw.connect(args[0])) {
                cloudMw.files().put(Path.of(args[2]), file, PutOptions.defaults()).join();
                cloudMw.files().get(file, Path.of(args[3]), GetOptions.defaults()).join();
            }
        }
        System.out.println(TURNS + " clients");
    }
}
