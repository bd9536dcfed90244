package io.cloudmw.cli.cluster;

import io.cloudmw.cli.command.ClientCommand;
import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.command.CommandGroup;
import io.cloudmw.cli.output.Json;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.core.access.CredentialsReference;
import io.cloudmw.core.access.ProbeReport;
import io.cloudmw.core.config.Sizes;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.BucketEncryption;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.status.AddedStore;
import io.cloudmw.core.status.HelperStatus;
import io.cloudmw.core.status.StoreStatus;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands about stores and helpers. */
public final class StoreCommands {
    private StoreCommands() {}

    @Command(
            name = "store",
            mixinStandardHelpOptions = true,
            description = "Add, check, list, change and remove stores.")
    public static final class Group extends CommandGroup {}

    @Command(name = "add", mixinStandardHelpOptions = true, description = "Make a bucket known.")
    public static final class Add extends ClientCommand {
        @Parameters(index = "0", paramLabel = "ID")
        private String id = "";

        @Parameters(index = "1", paramLabel = "s3://BUCKET[/PREFIX]")
        private String location = "";

        @Option(names = "--region", paramLabel = "REGION", description = "default us-east-1")
        private String region = "us-east-1";

        @Option(names = "--endpoint", paramLabel = "URL", description = "default: the region's own")
        private String endpoint = "";

        @Option(names = "--path-style", description = "the bucket in the path, not in the host name")
        private boolean pathStyle;

        @Option(
                names = "--domain",
                paramLabel = "LABEL",
                description = "stores with the same label may fail together (default: the region)")
        private @Nullable String domain;

        @Option(names = "--create", description = "make the bucket first if it does not exist")
        private boolean create;

        @Option(
                names = "--replace",
                description =
                        "take the bucket also when it has the marker of another store or cluster, which then loses it")
        private boolean replace;

        @Mixin
        private CredentialsOptions credentials = new CredentialsOptions();

        @Mixin
        private EncryptionOptions encryption = new EncryptionOptions();

        @Option(names = "--no-check", description = "do not prove first that the coordinator and a helper can use it")
        private boolean unchecked;

        public Add(CommandContext context) {
            super(context);
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            AddedStore added = Calls.await(client.stores().add(store(), create, replace, !unchecked));
            say(
                    "store %s: %s is known%s",
                    added.store().id(), added.store().kind().place(), proof(added.checks()));
            return StoreAccessCommands.json(added);
        }

        private String proof(Map<String, ProbeReport> checks) {
            if (unchecked) {
                return "";
            }
            if (checks.isEmpty()) {
                return ", as before (cloudmw store check " + id + " proves it again)";
            }
            String seen = checks.entrySet().stream()
                    .map(check -> check.getKey() + " " + StoreAccessCommands.times(check.getValue()))
                    .collect(Collectors.joining(", "));
            return ", and can be used: " + seen
                    + (checks.size() == 1
                            ? "; no helper could be asked (cloudmw store check " + id + " repeats this)"
                            : "");
        }

        private Store store() {
            if (!location.startsWith("s3://")) {
                throw new IllegalArgumentException("store: \"" + location + "\" (expected: s3://bucket/prefix)");
            }
            String rest = location.substring("s3://".length());
            int slash = rest.indexOf('/');
            String bucket = slash < 0 ? rest : rest.substring(0, slash);
            String prefix = slash < 0 ? "" : rest.substring(slash + 1);
            if (!prefix.isEmpty() && !prefix.endsWith("/")) {
                prefix = prefix + "/";
            }
            return new Store(
                    new StoreId(id),
                    domain == null ? region : domain,
                    new Store.S3(
                            bucket,
                            region,
                            endpoint,
                            pathStyle,
                            prefix,
                            credentials.reference().orElse(CredentialsReference.chain()),
                            encryption.encryption().orElse(BucketEncryption.NONE)));
        }
    }

    @Command(name = "ls", mixinStandardHelpOptions = true, description = "List stores.")
    public static final class Ls extends ClientCommand {
        public Ls(CommandContext context) {
            super(context);
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            List<Map<String, ?>> rows = new ArrayList<>();
            for (StoreStatus status : Calls.await(client.stores().list())) {
                Map<String, Object> row = Json.of(status.store());
                row.put("available", status.available());
                row.put("draining", status.draining());
                row.put("lost", status.store().isLost());
                status.mismatch().ifPresent(reason -> row.put("mismatch", reason));
                status.reach().fault().ifPresent(fault -> row.putAll(StoreAccessCommands.json(fault)));
                row.put("shut_out", StoreAccessCommands.json(status.reach().shutOut()));
                status.freeBytes().ifPresent(free -> {
                    row.put("free_bytes", free);
                    row.put("reserve_bytes", status.reserveBytes());
                });
                rows.add(row);
                say(
                        "%-24s %-12s domain=%s %s%s%s%s%s",
                        status.store().id(),
                        condition(status),
                        status.store().failureDomain(),
                        status.store().kind().place(),
                        free(status),
                        credentials(status.store()),
                        encryption(status.store()),
                        status.reach()
                                .fault()
                                .map(fault -> " (" + fault.reason() + ")")
                                .orElse(""));
                status.mismatch().ifPresent(reason -> say("  %s", reason));
                status.reach()
                        .shutOut()
                        .forEach((process, fault) -> say("%-24s %s cannot use it: %s", "", process, fault.reason()));
            }
            return Map.of("stores", rows);
        }

        /** Returns where the credentials of a store are found; empty for default credentials. */
        private static String credentials(Store store) {
            boolean own =
                    store.kind() instanceof Store.S3 s3 && !s3.credentials().equals(CredentialsReference.chain());
            return own ? " credentials=" + StoreAccessCommands.described(store).replace(' ', ':') : "";
        }

        /** Returns the encryption that a store asks its bucket for; empty where the bucket's own settings decide. */
        private static String encryption(Store store) {
            if (!(store.kind() instanceof Store.S3 s3) || s3.encryption().equals(BucketEncryption.NONE)) {
                return "";
            }
            BucketEncryption wanted = s3.encryption();
            return " sse=" + wanted.mode().word() + unlessEmpty(" kms-key=", wanted.kmsKey())
                    + (wanted.bucketKey() ? " bucket-key" : "");
        }

        private static String condition(StoreStatus status) {
            if (status.store().isLost()) {
                return "lost";
            }
            if (status.reach().fault().isPresent()) {
                return StoreAccessCommands.condition(status.reach().fault().get());
            }
            if (!status.available()) {
                return "unavailable";
            }
            if (status.mismatch().isPresent()) {
                return "mismatch";
            }
            if (status.draining()) {
                return "draining";
            }
            return status.freeBytes().orElse(1) == 0 ? "full" : "available";
        }

        private static String free(StoreStatus status) {
            OptionalLong bytes = status.freeBytes();
            return bytes.isEmpty()
                    ? ""
                    : " free=" + size(bytes.getAsLong()) + " reserve=" + size(status.reserveBytes());
        }

        private static String size(long bytes) {
            return Sizes.approximate(bytes).replace(" ", "");
        }
    }

    @Command(
            name = "replace",
            mixinStandardHelpOptions = true,
            description = {
                "Accept the present bucket of a store in place of its former one.",
                "All copies that are not in it are lost, and made anew from the others: `status` says how far that is."
                        + " A disk is replaced by its helper's --replace-disk."
            })
    public static final class Replace extends ClientCommand {
        @Parameters(index = "0", paramLabel = "ID")
        private String id = "";

        @Option(
                names = "--force",
                description = "also accept a bucket whose marker names another store or cluster, which then loses it")
        private boolean force;

        public Replace(CommandContext context) {
            super(context);
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            return Json.of(Calls.await(client.stores().replace(new StoreId(id), force)));
        }
    }

    @Command(
            name = "rm",
            mixinStandardHelpOptions = true,
            description = "Remove a store from the cluster; its content stays.")
    public static final class Rm extends ClientCommand {
        @Parameters(index = "0", paramLabel = "ID")
        private String id = "";

        public Rm(CommandContext context) {
            super(context);
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            Calls.await(client.stores().remove(new StoreId(id)));
            return Map.of("removed", id);
        }
    }

    @Command(name = "helpers", mixinStandardHelpOptions = true, description = "List helpers.")
    public static final class Helpers extends ClientCommand {
        public Helpers(CommandContext context) {
            super(context);
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            List<Map<String, ?>> rows = new ArrayList<>();
            for (HelperStatus status : Calls.await(client.cluster().helpers())) {
                Map<String, Object> row = new LinkedHashMap<>();
                row.put("id", status.helper().id().value());
                row.put("control", status.helper().control());
                row.put("bulk", status.helper().bulk());
                row.put("alive", status.alive());
                row.put("last_heartbeat_age_millis", status.lastHeartbeatAge().toMillis());
                row.put("disks", status.disks().stream().map(StoreId::value).toList());
                row.put("location", status.helper().location().toString());
                row.put("switch_volumes", status.helper().switched().toString());
                rows.add(row);
                say(
                        "%-24s %-6s control=%s bulk=%s disks=%s%s%s",
                        status.helper().id(),
                        status.alive() ? "alive" : "gone",
                        status.helper().control(),
                        status.helper().bulk(),
                        status.disks(),
                        unlessEmpty(" location=", status.helper().location().toString()),
                        unlessEmpty(" switch of ", status.helper().switched().toString()));
            }
            return Map.of("helpers", rows);
        }
    }

    private static String unlessEmpty(String name, String value) {
        return value.isEmpty() ? "" : name + value;
    }
}
