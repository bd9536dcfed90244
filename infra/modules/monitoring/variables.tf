variable "name" {
  type        = string
  description = "Name of the cluster; begins the names of all resources."

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,22}[a-z0-9]$", var.name))
    error_message = "name: expected 2 to 24 of a-z, 0-9 and '-', a letter first and no '-' last."
  }
}

variable "coordinator" {
  type = object({
    group         = string
    size          = number
    table         = string
    load_balancer = string
    target_group  = string
  })
  description = "Output monitored of the module coordinator."

  validation {
    condition     = var.coordinator.size >= 1 && startswith(var.coordinator.load_balancer, "net/") && startswith(var.coordinator.target_group, "targetgroup/")
    error_message = "coordinator: expected the output monitored of the module coordinator."
  }
}

variable "fleets" {
  type = map(object({
    group   = string
    size    = number
    volumes = map(string)
  }))
  description = "Outputs monitored of the modules helper-fleet, by any name but coordinator."
  default     = {}

  validation {
    condition     = !contains(keys(var.fleets), "coordinator")
    error_message = "fleets: the name coordinator is taken."
  }

  validation {
    condition     = alltrue([for _, fleet in var.fleets : fleet.size >= 1 && alltrue([for _, volume in fleet.volumes : startswith(volume, "vol-")])])
    error_message = "fleets: expected outputs monitored of modules helper-fleet."
  }
}

variable "alarm_actions" {
  type        = list(string)
  description = "ARNs that are told of alarms and of their end, for instance SNS topics."
  default     = []

  validation {
    condition     = alltrue([for arn in var.alarm_actions : can(regex("^arn:[a-z-]+:", arn))])
    error_message = "alarm_actions: expected ARNs."
  }
}

variable "missing_minutes" {
  type        = number
  description = "Minutes for which a coordinator or helper may be missing before the alarm. A replacement takes some."
  default     = 15

  validation {
    condition     = var.missing_minutes >= 1 && var.missing_minutes <= 1440 && floor(var.missing_minutes) == var.missing_minutes
    error_message = "missing_minutes: expected a whole number, 1 to 1440."
  }
}

variable "tags" {
  type        = map(string)
  description = "Tags of all resources."
  default     = {}

  validation {
    condition     = alltrue([for key, _ in var.tags : !startswith(key, "aws:") && !startswith(key, "cloudmw:")])
    error_message = "tags: keys that begin with aws: or cloudmw: are reserved."
  }
}
