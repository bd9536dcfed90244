package io.cloudmw.cli.cluster;

import io.cloudmw.cli.command.ClientCommand;
import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.command.ExitCode;
import io.cloudmw.cli.output.Json;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.core.access.CredentialsReference;
import io.cloudmw.core.access.ProbeReport;
import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.BucketEncryption;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.status.AddedStore;
import io.cloudmw.core.status.StoreStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands that set and check the access to stores. */
public final class StoreAccessCommands {
    private StoreAccessCommands() {}

    @Command(
            name = "set",
            mixinStandardHelpOptions = true,
            description = "Have the credentials of a bucket found elsewhere, or its new objects encrypted otherwise.")
    public static final class Set extends ClientCommand {
        @Parameters(index = "0", paramLabel = "ID")
        private String id = "";

        @Mixin
        private CredentialsOptions credentials = new CredentialsOptions();

        @Mixin
        private EncryptionOptions encryption = new EncryptionOptions();

        @Option(names = "--default-credentials", description = "where AWS tools look, as for stores that name nothing")
        private boolean chain;

        @Option(
                names = "--no-check",
                description = "do not prove first that the coordinator and a helper can use the store so")
        private boolean unchecked;

        public Set(CommandContext context) {
            super(context);
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            Optional<BucketEncryption> wanted = encryption.encryption();
            Optional<CredentialsReference> given = credentials.reference();
            if (wanted.isPresent()) {
                requireOneChange(given.isPresent() || chain);
                Store changed = Calls.await(client.stores().setEncryption(new StoreId(id), wanted.get(), !unchecked));
                say("store %s: new objects are encrypted with %s", changed.id(), inWords(wanted.get()));
                return Json.of(changed);
            }
            if (given.isPresent() == chain) {
                throw new IllegalArgumentException("credentials: " + (chain ? 2 : 0)
                        + " places (expected: one of --profile, --role-arn, --credentials-file and"
                        + " --default-credentials; or --sse)");
            }
            Store changed = Calls.await(client.stores()
                    .setCredentials(new StoreId(id), given.orElse(CredentialsReference.chain()), !unchecked));
            say("store %s: credentials of %s", changed.id(), described(changed));
            return Json.of(changed);
        }
    }

    /** A call changes one thing, because each change is proved by itself. */
    private static void requireOneChange(boolean alsoCredentials) {
        if (alsoCredentials) {
            throw new IllegalArgumentException(
                    "store set: credentials and --sse (expected: one of them in a call, because each is proved)");
        }
    }

    private static String inWords(BucketEncryption encryption) {
        return encryption.mode() == BucketEncryption.Mode.NONE
                ? "what the bucket's own settings say"
                : encryption.describe();
    }

    /** Returns where the credentials of a store are found; empty for a disk. */
    static String described(Store store) {
        return store.kind() instanceof Store.S3 s3 ? s3.credentials().describe() : "";
    }

    @Command(
            name = "check",
            mixinStandardHelpOptions = true,
            description = {
                "Prove that buckets can be used, from the coordinator and from one helper: writes, reads, lists and",
                "deletes a small object in each. Of a disk it shows what its helper last reported.",
                "Ends with 8, 3 or 5 when one is denied, missing or unreachable."
            })
    public static final class Check extends ClientCommand {
        private static final String FORMAT = "%-24s %-24s %-12s %10s %10s  %s";
        private static final List<ExitCode> BY_SEVERITY =
                List.of(ExitCode.OK, ExitCode.UNAVAILABLE, ExitCode.NOT_FOUND, ExitCode.REFUSED);

        @Parameters(paramLabel = "ID", arity = "0..*", description = "default: all stores")
        private List<String> ids = new ArrayList<>();

        private ExitCode exit = ExitCode.OK;

        public Check(CommandContext context) {
            super(context);
        }

        @Override
        protected ExitCode exit() {
            return exit;
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            List<StoreId> named = ids.stream().distinct().map(StoreId::new).toList();
            List<StoreStatus> known = Calls.await(client.stores().list()).stream()
                    .filter(status -> named.isEmpty()
                            ? !status.store().isLost()
                            : named.contains(status.store().id()))
                    .toList();
            if (named.isEmpty() && known.isEmpty()) {
                say("There are no stores to check (\"cloudmw store add\" adds a bucket, a helper's --disk a disk).");
                return Map.of("checks", List.of());
            }
            List<DiskCheck> disks = disks(known);
            List<StoreId> buckets = named.isEmpty()
                    ? new ArrayList<>(
                            known.stream().map(status -> status.store().id()).toList())
                    : new ArrayList<>(named);
            buckets.removeAll(disks.stream().map(DiskCheck::store).toList());
            List<Map<String, ?>> rows = new ArrayList<>();
            say(FORMAT, "STORE", "SEEN FROM", "CONDITION", "LATENCY", "CLOCK", "DETAILS");
            if (!buckets.isEmpty()) {
                Void unused = Calls.await(client.stores()
                        .check(
                                buckets,
                                (store, found) -> found.forEach((process, report) -> {
                                    exit = worse(exit, exit(report.fault()));
                                    rows.add(row(store, process, report));
                                    say(store, process, report);
                                })));
            }
            for (DiskCheck disk : disks) {
                exit = worse(exit, disk.exit());
                rows.add(disk.row());
                say(FORMAT, disk.store(), disk.process(), disk.condition(), "-", "-", disk.details());
            }
            return Map.of("checks", rows);
        }

        private static List<DiskCheck> disks(List<StoreStatus> known) {
            List<DiskCheck> disks = new ArrayList<>();
            for (StoreStatus status : known) {
                if (status.store().kind() instanceof Store.Disk disk) {
                    disks.add(DiskCheck.of(status, disk));
                }
            }
            return disks;
        }

        private void say(StoreId store, String process, ProbeReport report) {
            say(
                    FORMAT,
                    store,
                    process,
                    report.fault().map(fault -> fault.kind().word()).orElse("ok"),
                    latency(report),
                    clock(report),
                    report.fault().map(StoreFault::reason).orElse(""));
        }

        /** Returns the worse exit code: a refusal outranks a missing store, which outranks one that does not answer. */
        private static ExitCode worse(ExitCode known, ExitCode found) {
            return BY_SEVERITY.indexOf(found) > BY_SEVERITY.indexOf(known) ? found : known;
        }

        private static ExitCode exit(Optional<StoreFault> fault) {
            if (fault.isEmpty()) {
                return ExitCode.OK;
            }
            return switch (fault.get().kind()) {
                case DENIED, NO_CREDENTIALS -> ExitCode.REFUSED;
                case MISSING -> ExitCode.NOT_FOUND;
                case UNREACHABLE -> ExitCode.UNAVAILABLE;
            };
        }
    }

    private static Map<String, Object> row(StoreId store, String process, ProbeReport report) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("store", store.value());
        row.put("process", process);
        row.put("ok", report.fault().isEmpty());
        report.fault().ifPresent(fault -> {
            row.put("condition", fault.kind().word());
            row.put("reason", fault.reason());
        });
        if (report.latencyMicros() > 0) {
            row.put("latency_micros", report.latencyMicros());
            row.put("clock_ahead_millis", report.clockAheadMillis());
        }
        return row;
    }

    private static String latency(ProbeReport report) {
        return report.latencyMicros() == 0
                ? "-"
                : String.format(Locale.ROOT, "%.1f ms", report.latencyMicros() / 1000.0);
    }

    /**
     * Returns the offset of the store's clock. An offset below a second counts as none, because servers send whole
     * seconds.
     */
    private static String clock(ProbeReport report) {
        if (report.latencyMicros() == 0) {
            return "-";
        }
        long ahead = report.clockAheadMillis();
        return Math.abs(ahead) < 1000 ? "0 s" : String.format(Locale.ROOT, "%+.1f s", ahead / 1000.0);
    }

    /** Returns the latency and the clock offset that one process has measured. */
    static String times(ProbeReport report) {
        return "(latency " + latency(report) + ", store's clock " + clock(report) + ")";
    }

    /** Returns an added store as JSON, with the rows of {@code store check}. */
    static Map<String, Object> json(AddedStore added) {
        Map<String, Object> json = new LinkedHashMap<>(Json.of(added.store()));
        List<Map<String, ?>> rows = new ArrayList<>();
        added.checks().forEach((process, report) -> rows.add(row(added.store().id(), process, report)));
        json.put("checks", rows);
        return json;
    }

    /** Returns the fault that denies a store to every process, as a word for lists. */
    static String condition(StoreFault fault) {
        return fault.kind() == StoreFault.Kind.UNREACHABLE
                ? fault.kind().word() + " since " + Instant.ofEpochMilli(fault.sinceMillis())
                : fault.kind().word();
    }

    static Map<String, Object> json(StoreFault fault) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("condition", fault.kind().word());
        json.put("reason", fault.reason());
        json.put("since_millis", fault.sinceMillis());
        return json;
    }

    static Map<String, Object> json(Map<String, StoreFault> faults) {
        Map<String, Object> json = new LinkedHashMap<>();
        faults.forEach((process, fault) -> json.put(process, json(fault)));
        return json;
    }
}
