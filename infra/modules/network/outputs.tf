output "vpc_id" {
  description = "The VPC."
  value       = aws_vpc.this.id
}

output "subnets" {
  description = "The private subnet of each zone, as the modules coordinator and helper-fleet take it."
  value       = { for zone, subnet in aws_subnet.private : zone => subnet.id }
}

output "endpoint_security_group_id" {
  description = "Security group of the interface endpoints; null without any."
  value       = one(aws_security_group.endpoints[*].id)
}

output "nat_addresses" {
  description = "Public addresses from which instances reach the internet, by zone; none without NAT."
  value       = { for zone, address in aws_eip.nat : zone => address.public_ip }
}
