package io.cloudmw.cli.cluster;

import io.cloudmw.cli.command.ClientCommand;
import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.status.DrainOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands that empty stores. */
public final class DrainCommands {
    private DrainCommands() {}

    @Command(
            name = "drain",
            mixinStandardHelpOptions = true,
            description =
                    "Copy the content of stores elsewhere, and place nothing new there; 'status' shows the progress.")
    public static final class Drain extends Ordering {
        public Drain(CommandContext context) {
            super(context, true);
        }
    }

    @Command(
            name = "undrain",
            mixinStandardHelpOptions = true,
            description = "Use drained stores again; copies made elsewhere stay there.")
    public static final class Undrain extends Ordering {
        public Undrain(CommandContext context) {
            super(context, false);
        }
    }

    /** The base of drain and undrain. */
    abstract static class Ordering extends ClientCommand {
        @Parameters(arity = "0..*", paramLabel = "STORE")
        private List<String> stores = new ArrayList<>();

        @Option(names = "--helper", paramLabel = "ID", description = "all disks of this helper")
        private @Nullable String helper;

        private final boolean begins;

        Ordering(CommandContext context, boolean begins) {
            super(context);
            this.begins = begins;
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            if (stores.isEmpty() && helper == null) {
                throw new IllegalArgumentException("no store is named (expected: STORE..., or --helper ID)");
            }
            DrainOrder order = new DrainOrder(
                    stores.stream().map(StoreId::new).toList(),
                    Optional.ofNullable(helper).map(HelperId::new),
                    begins);
            List<String> concerned = Calls.await(client.stores().drain(order)).stream()
                    .map(StoreId::value)
                    .toList();
            concerned.forEach(store -> say("%s: %s", store, begins ? "draining" : "in use"));
            return Map.of("stores", concerned, "draining", begins);
        }
    }
}
