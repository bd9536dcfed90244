output "client_environment" {
  description = "Environment variables of clients, which also need the security group below."
  value       = module.coordinator.client_environment
}

output "client_security_group_id" {
  description = "Security group of clients."
  value       = module.coordinator.client_security_group_id
}

output "store_commands" {
  description = "The commands that make the buckets known to the cluster."
  value       = merge(module.central.commands, module.west.commands)
}
