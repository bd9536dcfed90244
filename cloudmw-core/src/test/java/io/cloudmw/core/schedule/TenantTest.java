package io.cloudmw.core.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.model.Priority;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class TenantTest {
    private static Tenant tenant(String client) {
        return new Tenant(client, "v", Priority.BATCH);
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
