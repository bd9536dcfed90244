package io.cloudmw.cli.file;

import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.core.cost.PriceTable;
import io.cloudmw.core.cost.Pricing;
import io.cloudmw.core.error.CloudMwException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that choose the prices for a bill. */
final class PriceOptions {
    @Option(names = "--prices", paramLabel = "FILE", description = "a price table (default: the one built in)")
    private @Nullable Path prices;

    @Option(
            names = "--reader-region",
            paramLabel = "REGION",
            description = "where the helpers are that read the stores, for the price of egress (default internet)")
    private String readerRegion = PriceTable.INTERNET;

    /** Returns the price table and the region of the readers. */
    Pricing pricing() throws CloudMwException {
        return new Pricing(prices == null ? Optional.empty() : Optional.of(PriceTable.read(prices)), readerRegion);
    }

    CloudMwOptions applied(CloudMwOptions options) throws CloudMwException {
        return options.withPricing(pricing());
    }
}
