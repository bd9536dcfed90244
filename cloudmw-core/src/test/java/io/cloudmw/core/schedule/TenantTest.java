package io.cloudmw.core.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.security.TokenHolder;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferRight;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class TenantTest {
    private static Tenant tenant(String client) {
        return new Tenant(client, "v", Priority.BATCH);
    }

    /** The tenant of work with a token that this subject holds; empty: any bearer. */
    private static Tenant of(Optional<String> holder, String connection) {
        TransferClaims claims = new TransferClaims(
                Set.of(TransferRight.READ),
                new FilePath(new VolumeName("v"), "/f"),
                new VersionId("0".repeat(32)),
                Long.MAX_VALUE,
                holder.map(identity -> new TokenHolder(identity, 0, 0)));
        return Tenant.of(claims, connection, Priority.BATCH);
    }

    /** The turns that each of two holders gets of 100, where one has one connection and the other eight. */
    private static Map<String, Integer> turns(Optional<String> modest, Optional<String> greedy)
            throws CloudMwException {
        FairScheduler<String> scheduler = new FairScheduler<>(ScheduleLimits.uncapped(10_000, 10_000));
        for (int i = 0; i < 100; i++) {
            scheduler.submit(of(modest, "modest"), "modest", 1 << 20, OptionalLong.empty(), 0);
            for (int connection = 0; connection < 8; connection++) {
                scheduler.submit(of(greedy, "greedy-" + connection), "greedy", 1 << 20, OptionalLong.empty(), 0);
            }
        }
        Map<String, Integer> turns = new HashMap<>();
        for (int turn = 0; turn < 100; turn++) {
            turns.merge(scheduler.next(0).orElseThrow().work(), 1, Integer::sum);
        }
        return turns;
    }

    @Test
    void subjectWithEightConnectionsGetsAsMuchAsASubjectWithOne() throws CloudMwException {
        Map<String, Integer> turns = turns(Optional.of("cloudmw://c/client/a"), Optional.of("cloudmw://c/client/b"));
        assertThat(turns.get("modest")).isBetween(49, 51);
        assertThat(turns.get("greedy")).isBetween(49, 51);
    }

    @Test
    void connectionsInPlainTextAreClientsOfTheirOwn() throws CloudMwException {
        assertThat(turns(Optional.empty(), Optional.empty()).get("modest")).isBetween(10, 13);
    }

    @Test
    void subjectStaysTheClientBehindASwitchAndItsConnectionsAreToldApart() {
        Tenant first = of(Optional.of("cloudmw://c/client/a"), "switch").ofShare(3);
        Tenant second = of(Optional.of("cloudmw://c/client/a"), "switch").ofShare(4);
        assertThat(first.client()).isEqualTo("cloudmw://c/client/a").isEqualTo(second.client());
        assertThat(first).isNotEqualTo(second);
    }

    /** As many clients as there are shares have more than half of them in the mean; many have all, and no more. */
    @Test
    void clientsAreSpreadOverTheSharesAndEachAlwaysHasTheSame() {
        Random random = new Random(1);
        var shares = IntStream.range(0, 1000)
                .mapToObj(i -> tenant(Long.toHexString(random.nextLong())))
                .collect(Collectors.groupingBy(Tenant::share, Collectors.counting()));
        assertThat(shares).hasSize(Tenant.SHARES);
        assertThat(shares.values()).allSatisfy(count -> assertThat(count).isBetween(30L, 100L));
        assertThat(shares.keySet()).allSatisfy(share -> assertThat(share).isBetween(0, Tenant.SHARES - 1));
        assertThat(tenant("client").share()).isEqualTo(tenant("client").share());
    }

    @Test
    void sharesOfAClientAreClientsOfTheirOwn() {
        assertThat(tenant("a").ofShare(3)).isNotEqualTo(tenant("a").ofShare(4));
        assertThat(tenant("a").ofShare(3).client())
                .isNotEqualTo(tenant("b").ofShare(3).client());
        assertThat(tenant("a").ofShare(3).priority()).isEqualTo(Priority.BATCH);
    }
}
