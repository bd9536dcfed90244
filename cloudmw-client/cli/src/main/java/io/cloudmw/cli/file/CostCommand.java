package io.cloudmw.cli.file;

import io.cloudmw.cli.command.ClientCommand;
import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.core.cost.PriceTable;
import io.cloudmw.core.cost.Pricing;
import io.cloudmw.core.cost.StorePrices;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.status.StoreStatus;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command that shows the price table. */
@Command(
        name = "cost",
        mixinStandardHelpOptions = true,
        description = "Show the price table that receipts and plans count by; no coordinator is asked.")
public final class CostCommand extends ClientCommand {
    private static final String ROW = "%-28s %12s %12s %12s %12s %12s %12s";

    @Mixin
    private PriceOptions prices = new PriceOptions();

    @Option(
            names = "--stores",
            description = "also the prices of each store of the cluster, which asks the coordinator")
    private boolean stores;

    public CostCommand(CommandContext context) {
        super(context);
    }

    @Override
    protected Map<String, ?> run(CloudMw client) throws Exception {
        Pricing pricing = prices.pricing();
        PriceTable table = pricing.table();
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("price_version", table.version());
        answer.put("built_in", pricing.own().isEmpty());
        answer.put("currency", table.currency());
        answer.put("reader_region", pricing.readerRegion());
        answer.put("helper_per_hour", table.helperPerHour());
        say("prices: %s%s", table.version(), pricing.own().isEmpty() ? ", built in" : "");
        say("in %s; an hour of a helper: %s", table.currency(), table.helperPerHour());
        say(ROW, "PLACE", "1000 READS", "1000 WRITES", "GB A MONTH", "GB HERE", "GB ELSEWHERE", "GB INTERNET");
        List<Map<String, ?>> places = new ArrayList<>();
        table.places().forEach((place, costs) -> places.add(shown(place, costs)));
        answer.put("places", places);
        if (stores) {
            answer.put("stores", applied(client, pricing));
        }
        return answer;
    }

    private Map<String, ?> shown(String place, StorePrices costs) {
        say(
                ROW,
                place,
                costs.getPer1000(),
                costs.putPer1000(),
                costs.storagePerGbMonth(),
                costs.egressSameRegionPerGb(),
                costs.egressOtherRegionPerGb(),
                costs.egressInternetPerGb());
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("place", place);
        row.put("get_per_1000", costs.getPer1000());
        row.put("put_per_1000", costs.putPer1000());
        row.put("storage_per_gb_month", costs.storagePerGbMonth());
        row.put("egress_same_region_per_gb", costs.egressSameRegionPerGb());
        row.put("egress_other_region_per_gb", costs.egressOtherRegionPerGb());
        row.put("egress_internet_per_gb", costs.egressInternetPerGb());
        return row;
    }

    private List<Map<String, ?>> applied(CloudMw client, Pricing pricing) throws CloudMwException {
        List<Map<String, ?>> rows = new ArrayList<>();
        for (StoreStatus status : Calls.await(client.stores().list())) {
            Store store = status.store();
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("id", store.id().value());
            Optional<String> place = pricing.table().place(store);
            place.ifPresent(known -> row.put("place", known));
            pricing.table()
                    .egressPerGb(store, pricing.readerRegion())
                    .ifPresent(egress -> row.put("egress_per_gb", egress));
            say(
                    "store %s: %s",
                    store.id(),
                    place.map(known -> "as " + known + "; a GB read from " + pricing.readerRegion() + ": "
                                    + row.get("egress_per_gb"))
                            .orElse("not in the table, counts as free"));
            rows.add(row);
        }
        return rows;
    }
}
