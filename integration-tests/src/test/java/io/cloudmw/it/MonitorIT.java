package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.client.progress.ReadEstimate;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.status.fleet.FleetView;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that measurements of stores reach the coordinator, plans and watchers. */
final class MonitorIT {
    private static final long MIB = 1 << 20;

    @TempDir
    private Path directory;

    @Test
    void measurementsOfHelpersAreShownAndUsedInPlans() throws IOException {
        try (Fleet fleet = Fleet.hostedDisks(directory, 2, "")) {
            FilePath file = new FilePath(fleet.volume("v", Fleet.disks(1, 2)), "/f");
            fleet.put(fleet.file("source", 6 * MIB), file);
            await().atMost(Duration.ofMinutes(2)).until(() -> {
                fleet.get(file, fleet.target("back"));
                return fleet.client().cluster().fleet().join().stores().stream()
                        .allMatch(store -> store.speed().expected().isKnown());
            });

            FleetView view = fleet.client().cluster().fleet().join();
            assertThat(view.helpers()).hasSize(2).allSatisfy(helper -> {
                assertThat(helper.alive()).isTrue();
                assertThat(helper.activity().attempts()).isPositive();
            });
            assertThat(view.stores()).extracting(FleetView.OfStore::id).containsExactlyInAnyOrder(Fleet.disks(1, 2));
            assertThat(view.pairs()).anySatisfy(pair -> {
                assertThat(pair.key().store().value()).startsWith("disk-");
                assertThat(pair.speed().readsPerSecond()).isPositive();
            });
            assertThat(view.stores()).allSatisfy(store -> {
                assertThat(store.speed().expected().firstByteP50Nanos()).isPositive();
                assertThat(store.speed().errors()).isEmpty();
            });

            // The coordinator updates the estimates for plans once a second.
            ReadEstimate estimate = await().until(
                            () -> fleet.client()
                                    .files()
                                    .estimate(
                                            file,
                                            Optional.empty(),
                                            Optional.of(Duration.ofHours(1)),
                                            OptionalLong.empty())
                                    .join(),
                            told -> told.known() == 2);
            assertThat(estimate.choice())
                    .hasValueSatisfying(choice -> assertThat(choice.meets()).isTrue());
        }
    }

    @Test
    void measurementsAreShownByTheCommands() throws IOException {
        try (Fleet fleet = Fleet.hostedDisks(directory, 2, "")) {
            FilePath file = new FilePath(fleet.volume("v", Fleet.disks(1, 2)), "/f");
            fleet.put(fleet.file("source", 6 * MIB), file);
            CommandLine cloudmw = new CommandLine(fleet.coordinatorAddress());

            JsonNode top = cloudmw.run("top", "--once", "--json").orThrow().json();
            assertThat(top.get("stores")).hasSize(2);
            assertThat(top.get("helpers")).hasSize(2);
            JsonNode plan =
                    cloudmw.run("plan", file.toString(), "--json").orThrow().json();
            assertThat(plan.get("size_bytes").asLong()).isEqualTo(6 * MIB);
            assertThat(plan.get("offers")).isNotEmpty();
            CommandLine.Result cat = cloudmw.run("cat", file.toString(), "--receipt", "--deadline", "1h");
            assertThat(cat.orThrow().err()).contains("target: p99 under 3600.000 s met", "price: 0 USD");
        }
    }

    @Test
    void receiptCountsTheReadsFromItsStores() throws IOException {
        try (Fleet fleet = Fleet.hostedDisks(directory, 2, "")) {
            FilePath file = new FilePath(fleet.volume("v", Fleet.disks(1, 2)), "/f");
            fleet.put(fleet.file("source", 6 * MIB), file);

            GetReceipt receipt = fleet.client()
                    .files()
                    .get(file, fleet.target("back"), GetOptions.defaults().withDeadline(Duration.ofNanos(1)))
                    .join();

            assertThat(receipt.cost().total().reads()).isEqualTo(receipt.attempts());
            assertThat(receipt.cost().total().readBytes()).isEqualTo(receipt.usefulBytes() + receipt.wastedBytes());
            assertThat(receipt.cost().usage().keySet()).isSubsetOf(new StoreId("disk-1"), new StoreId("disk-2"));
            assertThat(receipt.sla()).hasValueSatisfying(sla -> {
                assertThat(sla.met()).isFalse();
                assertThat(sla.why())
                        .contains("too long", "from disk-", "speeds are not known", "it was expected to take");
            });
        }
    }
}
